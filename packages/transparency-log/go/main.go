// Verifies the test vectors, or with `live <url> <vkey>` the log of a running service, with Go's own packages
// for notes and transparency logs: an independent second implementation.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type vectors struct {
	Trees []struct {
		Size              int64
		Root              string
		InclusionSHA256   string `json:"inclusion_sha256"`
		ConsistencySHA256 string `json:"consistency_sha256"`
	}
	Large struct {
		Size        int64
		Root        string
		TilesSHA256 map[string]string `json:"tiles_sha256"`
	}
	Notes struct {
		LogKey     string `json:"log_key"`
		Checkpoint string
		Cosigned   string
		Changed    string
		Proof      string
	}
}

// A log in memory.
type storage []tlog.Hash

func (s storage) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = s[index]
	}
	return hashes, nil
}

var failures int

func check(ok bool, what string, values ...any) {
	if !ok {
		failures++
		fmt.Printf("FAILED: "+what+"\n", values...)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
	return value
}

func leaf(n int64) []byte { return []byte("leaf " + strconv.FormatInt(n, 10)) }

func build(size int64) storage {
	var all storage
	for n := int64(0); n < size; n++ {
		all = append(all, must(tlog.StoredHashes(n, leaf(n), all))...)
	}
	return all
}

func digest(hashes []tlog.Hash) string {
	var joined bytes.Buffer
	for _, hash := range hashes {
		joined.Write(hash[:])
	}
	sum := sha256.Sum256(joined.Bytes())
	return hex.EncodeToString(sum[:])
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "live" {
		checkLive(os.Args[2], os.Args[3])
		return
	}
	var v vectors
	if err := json.Unmarshal(must(os.ReadFile(os.Args[1])), &v); err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
	all := build(v.Large.Size)
	for _, tree := range v.Trees {
		root := must(tlog.TreeHash(tree.Size, all))
		if tree.Size > 0 {
			check(root.String() == tree.Root, "root of size %d", tree.Size)
		}
		var inclusion, consistency []tlog.Hash
		for n := int64(0); n < tree.Size; n++ {
			proof := must(tlog.ProveRecord(tree.Size, n, all))
			check(tlog.CheckRecord(proof, tree.Size, root, n, tlog.RecordHash(leaf(n))) == nil, "leaf %d of %d", n, tree.Size)
			inclusion = append(inclusion, proof...)
			consistency = append(consistency, must(tlog.ProveTree(tree.Size, n+1, all))...)
		}
		check(digest(inclusion) == tree.InclusionSHA256, "inclusion proofs of size %d", tree.Size)
		check(digest(consistency) == tree.ConsistencySHA256, "consistency proofs of size %d", tree.Size)
	}
	checkTiles(v, all)
	checkNotes(v)
	if failures > 0 {
		os.Exit(1)
	}
	fmt.Printf("%d trees, %d tiles, notes and a proof: golang.org/x/mod agrees\n", len(v.Trees), len(v.Large.TilesSHA256))
}

func checkTiles(v vectors, all storage) {
	root := must(tlog.TreeHash(v.Large.Size, all))
	check(root.String() == v.Large.Root, "root of size %d", v.Large.Size)
	tiles := tlog.NewTiles(8, 0, v.Large.Size)
	check(len(tiles) == len(v.Large.TilesSHA256), "%d tiles, Go has %d", len(v.Large.TilesSHA256), len(tiles))
	for _, tile := range tiles {
		// Go's paths contain the height: tile/8/0/000 is tile/0/000 of tlog-tiles.
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		sum := sha256.Sum256(must(tlog.ReadTileData(tile, all)))
		check(hex.EncodeToString(sum[:]) == v.Large.TilesSHA256[path], "tile %s", path)
	}
}

func checkNotes(v vectors) {
	verifiers := note.VerifierList(must(note.NewVerifier(v.Notes.LogKey)))
	opened := must(note.Open([]byte(v.Notes.Checkpoint), verifiers))
	tree := must(tlog.ParseTree([]byte("go.sum database tree\n" + strings.SplitN(opened.Text, "\n", 2)[1])))
	must(note.Open([]byte(v.Notes.Cosigned), verifiers))
	_, err := note.Open([]byte(v.Notes.Changed), verifiers)
	check(err != nil, "a changed checkpoint is accepted")

	lines := strings.Split(strings.SplitN(v.Notes.Proof, "\n\n", 2)[0], "\n")
	check(lines[0] == "c2sp.org/tlog-proof@v1" && lines[1] == "index 940", "first lines of the proof")
	var proof tlog.RecordProof
	for _, line := range lines[2:] {
		var hash tlog.Hash
		copy(hash[:], must(base64.StdEncoding.DecodeString(line)))
		proof = append(proof, hash)
	}
	check(tlog.CheckRecord(proof, tree.N, tree.Hash, 940, tlog.RecordHash(leaf(940))) == nil, "proof of leaf 940")
	check(tlog.CheckRecord(proof, tree.N, tree.Hash, 940, tlog.RecordHash(leaf(941))) != nil, "proof of another leaf")
}
