"""`python -m muniment`: the command line.

Belongs here: the call. Does not belong here: anything else.
"""

from muniment.cli import main

if __name__ == "__main__":
    main()
