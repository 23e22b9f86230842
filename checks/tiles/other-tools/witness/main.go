// The witness of transparency-dev on a port of this machine, for one log: <verifier key of the log>. Ends with its standard input.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	cosigning "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/witness/persistence/inmemory"
	"github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"
)

func main() {
	if err := serve(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, logKey string) error {
	verifier, err := note.NewVerifier(logKey)
	if err != nil {
		return err
	}
	secret, public, err := note.GenerateKey(rand.Reader, "witness.example/other")
	if err != nil {
		return err
	}
	signer, err := cosigning.NewSignerForCosignatureV1(secret)
	if err != nil {
		return err
	}
	verifierKey, err := cosigning.VKeyToCosignatureV1(public)
	if err != nil {
		return err
	}
	trusted := func(_ context.Context, origin string) (note.Verifier, bool, error) {
		return verifier, origin == verifier.Name(), nil
	}
	other, err := witness.New(ctx, witness.Opts{
		Persistence:    inmemory.New(),
		Signers:        []note.Signer{signer},
		VerifierForLog: trusted,
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	http.HandleFunc("POST /add-checkpoint", witness.NewHTTPHandler(other).AddCheckpoint)
	go func() { _ = http.Serve(listener, nil) }()
	address := map[string]string{"url": "http://" + listener.Addr().String(), "verifier_key": verifierKey}
	if err := json.NewEncoder(os.Stdout).Encode(address); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
