"""The documentation site: ``make site`` builds it from ``docs/``, in English and in Chinese."""
