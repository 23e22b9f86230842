// Reads a log with Tessera's client: checkpoint, entries, and proofs of inclusion and of growth that its Merkle package verifies.
package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"

	"github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/client"
	"svc.example/other-tools/reading"
)

func main() {
	named, err := reading.FromArguments()
	if err != nil {
		reading.Print(reading.Result{}, err)
	}
	reading.Print(check(context.Background(), named))
}

func check(ctx context.Context, named reading.Log) (reading.Result, error) {
	prefix, err := url.Parse(named.Prefix + "/")
	if err != nil {
		return reading.Result{}, err
	}
	source, err := client.NewHTTPFetcher(prefix, reading.Client())
	if err != nil {
		return reading.Result{}, err
	}
	origin := named.Verifier.Name()
	newest, _, _, err := client.FetchCheckpoint(ctx, source.ReadCheckpoint, named.Verifier, origin)
	if err != nil {
		return reading.Result{}, err
	}
	older, _, _, err := log.ParseCheckpoint(named.Older, origin, named.Verifier)
	if err != nil {
		return reading.Result{}, err
	}
	builder, err := client.NewProofBuilder(ctx, newest.Size, source.ReadTile)
	if err != nil {
		return reading.Result{}, err
	}
	growth, err := builder.ConsistencyProof(ctx, older.Size, newest.Size)
	if err != nil {
		return reading.Result{}, err
	}
	hasher := rfc6962.DefaultHasher
	if err := proof.VerifyConsistency(hasher, older.Size, newest.Size, growth, older.Hash, newest.Hash); err != nil {
		return reading.Result{}, err
	}
	var entries [][]byte
	for n := uint64(0); n*256 < newest.Size; n++ {
		bundle, err := client.GetEntryBundle(ctx, source.ReadEntryBundle, n, newest.Size)
		if err != nil {
			return reading.Result{}, err
		}
		entries = append(entries, bundle.Entries...)
	}
	if uint64(len(entries)) != newest.Size {
		return reading.Result{}, fmt.Errorf("%d entries of %d", len(entries), newest.Size)
	}
	for n, entry := range entries {
		path, err := builder.InclusionProof(ctx, uint64(n))
		if err != nil {
			return reading.Result{}, err
		}
		leaf := hasher.HashLeaf(entry)
		if err := proof.VerifyInclusion(hasher, uint64(n), newest.Size, leaf, path, newest.Hash); err != nil {
			return reading.Result{}, fmt.Errorf("record %d: %w", n, err)
		}
	}
	first := hex.EncodeToString(entries[0])
	size, olderSize := int64(newest.Size), int64(older.Size)
	return reading.Result{Size: size, OlderSize: olderSize, Proved: len(entries), FirstEntry: first}, nil
}
