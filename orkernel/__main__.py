"""`python -m orkernel` is the `orkernel` command."""

from orkernel.cli import main

if __name__ == "__main__":
    main()
