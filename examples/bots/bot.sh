#!/bin/sh
# A bot that plays the first legal move, which is the one that scores most. docs/bots.md explains the messages.
#
# Online:  ./bot.sh play cartino ssh -T -i bot_key host bot
# Offline: cartino simulate --seats exec:./bot.sh,bot:greedy

after() { # set `value` to what follows $1 in the line, up to the next $2
    value=${line#*"$1"}
    value=${value%%"$2"*}
}

play() { # answer each line of standard input; ask for one game of $1 after another, if it names one
    while IFS= read -r line; do
        after '{"type":"' '"'; type=$value
        case $type in
        state)
            after '"table":"' '"'; table=$value
            after '"number":' ','; number=$value
            after '"legal":[{"move":"' '"'
            printf '{"type":"move","table":"%s","number":%s,"move":"%s"}\n' "$table" "$number" "$value" ;;
        invited) after '"table":"' '"'; printf '{"type":"join","table":"%s"}\n' "$value" ;;
        refused | bye | end) printf '%s\n' "$line" >&2 ;;
        esac
        case $1:$type in ?*:hello | ?*:end) printf '{"type":"play","game":"%s"}\n' "$1" ;; esac
    done
}

if [ "$1" = play ]; then
    game=$2; shift 2
    folder=$(mktemp -d) && mkfifo "$folder/answers" || exit 1
    trap 'rm -r "$folder"' EXIT
    "$@" <"$folder/answers" | play "$game" >"$folder/answers"
else
    play ""
fi
