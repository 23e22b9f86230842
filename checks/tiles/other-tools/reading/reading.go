// Package reading holds what both readers of a log share: its address, its key, and an older checkpoint.
package reading

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"golang.org/x/mod/sumdb/note"
)

// Log is named by the command line: <prefix> <verifier key> <file of an older checkpoint>.
type Log struct {
	Prefix   string
	Verifier note.Verifier
	Older    []byte
}

// Result is printed as one JSON line.
type Result struct {
	Size       int64  `json:"size"`
	OlderSize  int64  `json:"older_size"`
	Proved     int    `json:"proved"`
	FirstEntry string `json:"first_entry"`
}

func FromArguments() (Log, error) {
	if len(os.Args) != 4 {
		return Log{}, fmt.Errorf("use: %s <prefix> <verifier key> <older checkpoint>", os.Args[0])
	}
	verifier, err := note.NewVerifier(os.Args[2])
	if err != nil {
		return Log{}, err
	}
	older, err := os.ReadFile(os.Args[3])
	return Log{Prefix: os.Args[1], Verifier: verifier, Older: older}, err
}

// Client sends the API key and DID of a tenant, where the environment has them: for logs that are not public.
func Client() *http.Client {
	return &http.Client{Transport: withKey{os.Getenv("SVC_API_KEY"), os.Getenv("SVC_AGENT_DID")}}
}

type withKey struct{ key, did string }

func (w withKey) RoundTrip(request *http.Request) (*http.Response, error) {
	if w.key != "" {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+w.key)
		request.Header.Set("X-Agent-Did", w.did)
	}
	return http.DefaultTransport.RoundTrip(request)
}

func Print(result Result, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
}
