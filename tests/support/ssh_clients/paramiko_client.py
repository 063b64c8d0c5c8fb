"""paramiko as a client: PORT USER KEYFILE COMMAND, where KEYFILE is "" for a guest."""

import sys

import paramiko


def main() -> int:
    port, user, keyfile, command = sys.argv[1:]
    transport = paramiko.Transport(("127.0.0.1", int(port)))
    transport.start_client(timeout=30)
    if keyfile:
        transport.auth_publickey(user, paramiko.PKey.from_path(keyfile))
    else:
        transport.auth_interactive(user, lambda title, instructions, prompts: ["" for _ in prompts])
    channel = transport.open_session()
    channel.exec_command(command)
    channel.sendall(sys.stdin.buffer.read())
    channel.shutdown_write()
    sys.stdout.buffer.write(channel.makefile("rb").read())
    sys.stderr.buffer.write(channel.makefile_stderr("rb").read())
    status = int(channel.recv_exit_status())
    transport.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
