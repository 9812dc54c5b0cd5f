// Verifies the log of a running service over HTTP: its checkpoint, its tiles, its leaves and its proofs. The
// log's key is an argument, because a key from the server under test proves nothing.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const maxBytes = 32 << 20
const bundle = 256

var client = http.Client{Timeout: 30 * time.Second}

// The address of a log, such as https://waybill.example/api/v2/log/acme.
type remote struct{ url, tiles string }

func (r remote) get(path string) []byte {
	request := must(http.NewRequest("GET", r.url+"/"+path, nil))
	if key := os.Getenv("WAYBILL_API_KEY"); key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response := must(client.Do(request))
	defer response.Body.Close()
	body := must(io.ReadAll(io.LimitReader(response.Body, maxBytes)))
	if response.StatusCode != 200 {
		fmt.Printf("FAILED: %d for %s: %s\n", response.StatusCode, path, body)
		os.Exit(1)
	}
	return body
}

func (r remote) Height() int { return 8 }

func (r remote) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, tile := range tiles {
		data[i] = r.get(r.tiles + tile.Path())
	}
	return data, nil
}

func (r remote) SaveTiles([]tlog.Tile, [][]byte) {}

func openTree(text []byte, verifiers note.Verifiers) tlog.Tree {
	opened := must(note.Open(text, verifiers))
	return must(tlog.ParseTree([]byte("go.sum database tree\n" + strings.SplitN(opened.Text, "\n", 2)[1])))
}

func checkLive(url, vkey string) {
	log := remote{url: strings.TrimRight(url, "/")}
	var keys struct{ Epoch int }
	if err := json.Unmarshal(log.get("keys"), &keys); err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
	log.tiles = "tiles/" + strconv.Itoa(keys.Epoch) + "/"
	verifiers := note.VerifierList(must(note.NewVerifier(vkey)))
	tree := openTree(log.get(log.tiles+"checkpoint"), verifiers)
	// Verifies every tile against the signed root before using its hashes.
	hashes := tlog.TileHashReader(tree, log)
	entries := checkEntries(log, tree, hashes)
	checkProofs(log, tree, verifiers, entries)
	checkConsistency(log, tree, hashes)
	if failures > 0 {
		os.Exit(1)
	}
	fmt.Printf("a log of %d leaves, its tiles, entries and proofs: golang.org/x/mod agrees\n", tree.N)
}

// Checks that all leaves, in bundles of 256, have the hashes in the tiles.
func checkEntries(log remote, tree tlog.Tree, hashes tlog.HashReader) [][]byte {
	var entries [][]byte
	for first := int64(0); first < tree.N; first += bundle {
		width := min(bundle, tree.N-first)
		path := tlog.Tile{H: 8, L: -1, N: first / bundle, W: int(width)}.Path()
		data := log.get(log.tiles + strings.Replace(path, "tile/8/data/", "tile/entries/", 1))
		for len(data) > 0 {
			length := 2 + int(binary.BigEndian.Uint16(data))
			entries = append(entries, data[2:length])
			data = data[length:]
		}
	}
	check(int64(len(entries)) == tree.N, "%d leaves of %d", len(entries), tree.N)
	var indexes []int64
	for n := range entries {
		indexes = append(indexes, tlog.StoredHashIndex(0, int64(n)))
	}
	for n, hash := range must(hashes.ReadHashes(indexes)) {
		check(hash == tlog.RecordHash(entries[n]), "leaf %d", n)
		check(bytes.Contains(entries[n], []byte(fmt.Sprintf("\nindex %d\n", n))), "index of leaf %d", n)
	}
	return entries
}

// Verifies the server's proofs for the first, the last and some other leaves.
func checkProofs(log remote, newest tlog.Tree, verifiers note.Verifiers, entries [][]byte) {
	for _, n := range []int64{0, 1, newest.N / 3, newest.N / 2, newest.N - 1} {
		file := string(log.get("proof?index=" + strconv.FormatInt(n, 10)))
		parts := strings.SplitN(file, "\n\n", 2)
		tree := openTree([]byte(parts[1]), verifiers)
		var proof tlog.RecordProof
		for _, line := range strings.Split(parts[0], "\n")[2:] {
			var hash tlog.Hash
			copy(hash[:], must(base64.StdEncoding.DecodeString(line)))
			proof = append(proof, hash)
		}
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, n, tlog.RecordHash(entries[n])) == nil, "proof of leaf %d", n)
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, n, tlog.RecordHash([]byte("other"))) != nil, "proof of another leaf %d", n)
	}
}

// Checks that the log only grew, from sizes whose roots Go computes itself.
func checkConsistency(log remote, tree tlog.Tree, hashes tlog.HashReader) {
	for _, size := range []int64{1, tree.N / 2, tree.N - 1} {
		var answer struct{ Hashes []tlog.Hash }
		path := fmt.Sprintf("consistency?from_size=%d&to_size=%d", size, tree.N)
		if err := json.Unmarshal(log.get(path), &answer); err != nil {
			check(false, "consistency from size %d: %v", size, err)
			continue
		}
		root := must(tlog.TreeHash(size, hashes))
		check(tlog.CheckTree(answer.Hashes, tree.N, tree.Hash, size, root) == nil, "consistency from size %d", size)
	}
}
