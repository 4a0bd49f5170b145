"""What the Makefile runs. Nothing here is part of the application, and the application imports none of it."""
