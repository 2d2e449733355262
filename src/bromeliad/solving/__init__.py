"""Answers questions about OFC spots: request, plan, method, answer."""
