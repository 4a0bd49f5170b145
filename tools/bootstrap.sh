#!/bin/sh
# Finds a Python that fits (3.11 to 3.13; PYTHON=… names one) and lets it make the environment: see bootstrap.py.
set -eu
cd "$(dirname "$0")/.."
fits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))'
# A name may exist and still not run (a pyenv shim without its version), so each is tried, not only looked up.
for python in ${PYTHON:-python3 python3.13 python3.12 python3.11 python}; do
    if "$python" -c "$fits" >/dev/null 2>&1; then
        exec "$python" -I tools/bootstrap.py "$@"
    fi
done
found=$("${PYTHON:-python3}" --version 2>&1) || found="nothing that runs"
echo "This project needs Python 3.11, 3.12 or 3.13; ${PYTHON:-python3} is: $found." >&2
echo "Install one of them (Debian, Ubuntu: apt-get install python3 python3-venv) or name one: make PYTHON=/path/to/python3.12" >&2
exit 1
