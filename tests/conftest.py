"""The application's tests: whole conversations over a real PostgreSQL and a scripted model; a fork keeps these."""

pytest_plugins = ["support.database", "support.no_skips"]
