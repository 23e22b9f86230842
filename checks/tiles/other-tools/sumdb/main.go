// Reads a log with Go's own checksum-database packages: every record and the growth since an older checkpoint are proved from tiles.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"svc.example/other-tools/reading"
)

const height = 8

func main() {
	log, err := reading.FromArguments()
	if err != nil {
		reading.Print(reading.Result{}, err)
	}
	reading.Print(check(log))
}

func check(log reading.Log) (reading.Result, error) {
	source := &tiles{prefix: log.Prefix, client: reading.Client()}
	message, err := source.get("checkpoint")
	if err != nil {
		return reading.Result{}, err
	}
	tree, err := openCheckpoint(message, log.Verifier)
	if err != nil {
		return reading.Result{}, err
	}
	older, err := openCheckpoint(log.Older, log.Verifier)
	if err != nil {
		return reading.Result{}, err
	}
	reader := tlog.TileHashReader(tree, source)
	growth, err := tlog.ProveTree(tree.N, older.N, reader)
	if err != nil {
		return reading.Result{}, err
	}
	if err := tlog.CheckTree(growth, tree.N, tree.Hash, older.N, older.Hash); err != nil {
		return reading.Result{}, err
	}
	entries, err := source.entries(tree.N)
	if err != nil {
		return reading.Result{}, err
	}
	for n, entry := range entries {
		proof, err := tlog.ProveRecord(tree.N, int64(n), reader)
		if err != nil {
			return reading.Result{}, err
		}
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, int64(n), tlog.RecordHash(entry)); err != nil {
			return reading.Result{}, fmt.Errorf("record %d: %w", n, err)
		}
	}
	first := hex.EncodeToString(entries[0])
	return reading.Result{Size: tree.N, OlderSize: older.N, Proved: len(entries), FirstEntry: first}, nil
}

func openCheckpoint(message []byte, verifier note.Verifier) (tlog.Tree, error) {
	signed, err := note.Open(message, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(signed.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("not a checkpoint of %s: %q", verifier.Name(), signed.Text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return tlog.Tree{}, fmt.Errorf("not a root: %q", lines[2])
	}
	return tlog.Tree{N: size, Hash: tlog.Hash(root)}, nil
}

type tiles struct {
	prefix string
	client *http.Client
	saved  map[tlog.Tile][]byte
}

func (t *tiles) Height() int { return height }

func (t *tiles) ReadTiles(requested []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range requested {
		bytes, ok := t.saved[tile]
		if !ok {
			var err error
			// The checksum database has the height of a tile in its path; C2SP fixes it to 8.
			if bytes, err = t.get(strings.Replace(tile.Path(), "tile/8/", "tile/", 1)); err != nil {
				return nil, err
			}
		}
		data = append(data, bytes)
	}
	return data, nil
}

// SaveTiles is called with tiles that were proved to be in the tree.
func (t *tiles) SaveTiles(read []tlog.Tile, data [][]byte) {
	if t.saved == nil {
		t.saved = map[tlog.Tile][]byte{}
	}
	for i, tile := range read {
		t.saved[tile] = data[i]
	}
}

func (t *tiles) entries(size int64) ([][]byte, error) {
	var entries [][]byte
	for n := int64(0); n<<height < size; n++ {
		width := min(size-n<<height, 1<<height)
		tile := tlog.Tile{H: height, L: -1, N: n, W: int(width)}
		bundle, err := t.get(strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1))
		if err != nil {
			return nil, err
		}
		for len(bundle) >= 2 {
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			entries = append(entries, bundle[2:end])
			bundle = bundle[end:]
		}
	}
	if int64(len(entries)) != size {
		return nil, fmt.Errorf("%d entries of %d", len(entries), size)
	}
	return entries, nil
}

func (t *tiles) get(path string) ([]byte, error) {
	answer, err := t.client.Get(t.prefix + "/" + path)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, answer.Status)
	}
	return io.ReadAll(answer.Body)
}
