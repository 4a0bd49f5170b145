"""The engine's tests: a real PostgreSQL, a domain of their own, no application."""

pytest_plugins = ["support.database", "support.no_skips"]
