"""`python -m lakesite` is `lakesite`."""

from lakesite.cli import main

if __name__ == "__main__":
    main(prog_name="lakesite")
