"""What every room stands on: settings, errors, files, tables of components, machine, processes."""
