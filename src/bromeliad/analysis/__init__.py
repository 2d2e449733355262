"""Analysis of recorded hands: reviews of decisions, statistics, reports, anomalies, and models of opponents."""
