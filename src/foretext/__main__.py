"""``python -m foretext`` is the command ``foretext``."""

from foretext.cli import main

if __name__ == "__main__":
    main()
