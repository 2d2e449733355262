"""The service: the solver over HTTP, with jobs, streamed progress, games, quizzes and the page."""
