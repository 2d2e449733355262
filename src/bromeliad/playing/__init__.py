"""Games step by step, strategies by name, grades and quizzes, and the engine protocol."""
