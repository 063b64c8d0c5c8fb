// Go's x/crypto as a client: golang PORT USER KEYFILE COMMAND, where KEYFILE is "" for a guest.
package main

import (
	"fmt"
	"os"

	"golang.org/x/crypto/ssh"
)

func main() {
	port, user, keyfile, command := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	methods := []ssh.AuthMethod{}
	if keyfile != "" {
		text, err := os.ReadFile(keyfile)
		check(err)
		signer, err := ssh.ParsePrivateKey(text)
		check(err)
		methods = append(methods, ssh.PublicKeys(signer))
	}
	methods = append(methods, ssh.KeyboardInteractive(
		func(_, _ string, questions []string, _ []bool) ([]string, error) {
			return make([]string, len(questions)), nil
		}))
	client, err := ssh.Dial("tcp", "127.0.0.1:"+port, &ssh.ClientConfig{
		User: user, Auth: methods, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	check(err)
	session, err := client.NewSession()
	check(err)
	session.Stdin, session.Stdout, session.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = session.Run(command)
	if exit, ok := err.(*ssh.ExitError); ok {
		os.Exit(exit.ExitStatus())
	}
	check(err)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(255)
	}
}
