#!/usr/bin/env node
// A bot that plays a random legal move. docs/bots.md explains the messages.
//
// Online:  ./bot.js play cartino ssh -T -i bot_key host bot
// Offline: cartino simulate --seats exec:./bot.js,bot:greedy
"use strict";
const { spawn } = require("node:child_process");
const readline = require("node:readline");

function play(events, answers, game) {
  const say = (message) => answers.write(JSON.stringify(message) + "\n");
  readline.createInterface({ input: events }).on("line", (line) => {
    const event = JSON.parse(line);
    if (event.type === "state") {
      const { move } = event.legal[Math.floor(Math.random() * event.legal.length)];
      say({ type: "move", table: event.table, number: event.number, move });
    } else if (event.type === "invited") {
      say({ type: "join", table: event.table });
    } else if (event.type === "refused" || event.type === "bye") {
      console.error(event.sentence);
    }
    if (event.type === "end") console.error(event.table, event.totals);
    if (game && (event.type === "hello" || event.type === "end")) say({ type: "play", game });
  });
}

if (process.argv[2] === "play") {
  const [game, command, ...words] = process.argv.slice(3);
  const ssh = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
  play(ssh.stdout, ssh.stdin, game);
} else {
  play(process.stdin, process.stdout, "");
}
