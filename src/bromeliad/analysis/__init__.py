"""Looking back at hands: reviews of decisions, statistics, reports, anomalies, and models of opponents."""
