// npm's ssh2 as a client: node node_ssh2.js PORT USER KEYFILE COMMAND, where KEYFILE is "" for a guest.
const { readFileSync } = require("node:fs");
const { Client } = require("ssh2");

const [port, username, keyfile, command] = process.argv.slice(2);
const client = new Client();
client.on("error", (error) => {
  console.error(String(error));
  process.exitCode = 255;
});
client.on("keyboard-interactive", (name, instructions, language, prompts, finish) =>
  finish(prompts.map(() => "")),
);
client.on("ready", () =>
  client.exec(command, (error, channel) => {
    if (error) throw error;
    channel.on("exit", (status) => (process.exitCode = status));
    channel.on("close", () => client.end());
    channel.pipe(process.stdout);
    channel.stderr.pipe(process.stderr);
    process.stdin.pipe(channel);
  }),
);
client.connect({
  host: "127.0.0.1",
  port: Number(port),
  username,
  privateKey: keyfile ? readFileSync(keyfile) : undefined,
  tryKeyboard: true,
});
