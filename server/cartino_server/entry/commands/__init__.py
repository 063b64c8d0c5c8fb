"""The subcommands: one module each, with `run(arguments) -> exit code`."""
