package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/interp"
)

// The permissions of new files and folders.
const (
	filePermissions   = 0o644
	folderPermissions = 0o755
)

// here is where a path of the container is on this machine. What lies in no volume is in the container's own file
// system, in which every folder exists.
func (s *shell) here(around interp.HandlerContext, inside string) (string, error) {
	whole := filepath.Clean("/" + inside)
	if !filepath.IsAbs(inside) {
		whole = filepath.Join(around.Dir, inside)
	}
	if s.isReadBeforehand() {
		s.send(map[string]any{"needs": true})
		return "", fs.ErrNotExist
	}
	for at := whole; ; at = filepath.Dir(at) {
		folder, isKnown := s.Folders[at]
		if !isKnown {
			continue
		}
		found := filepath.Join(folder, strings.TrimPrefix(whole, at))
		if at == "/" {
			return found, os.MkdirAll(filepath.Dir(found), folderPermissions)
		}
		return found, nil
	}
}

// A writeOnly is an output of the script as a file: it has nothing to read, and stays open when the file is closed.
type writeOnly struct{ io.Writer }

func (writeOnly) Read([]byte) (int, error) { return 0, io.EOF }
func (writeOnly) Close() error             { return nil }

// A podFile is a file of the pod that the script writes.
type podFile struct{ *os.File }

// open opens a file of the container, also for the shell's redirections.
func (s *shell) open(ctx context.Context, inside string, flag int, mode os.FileMode) (io.ReadWriteCloser, error) {
	around := interp.HandlerCtx(ctx)
	switch inside {
	case os.DevNull:
		return writeOnly{io.Discard}, nil
	case "/dev/stdout":
		return writeOnly{around.Stdout}, nil
	case "/dev/stderr":
		return writeOnly{around.Stderr}, nil
	}
	found, err := s.here(around, inside)
	switch {
	case err != nil && flag&os.O_CREATE != 0 && s.isReadBeforehand():
		return writeOnly{io.Discard}, nil
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: inside, Err: cause(err)}
	}
	file, err := os.OpenFile(found, flag, mode)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: inside, Err: cause(err)}
	}
	if flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		return file, nil // as the library wants its input
	}
	return podFile{file}, nil
}

func (s *shell) stat(ctx context.Context, inside string, followsLinks bool) (fs.FileInfo, error) {
	found, err := s.here(interp.HandlerCtx(ctx), inside)
	if err != nil {
		return nil, err
	}
	if followsLinks {
		return os.Stat(found)
	}
	return os.Lstat(found)
}

func (s *shell) access(ctx context.Context, inside string, _ interp.AccessMode) error {
	_, err := s.stat(ctx, inside, true)
	return err
}

func (s *shell) readDir(ctx context.Context, inside string) ([]fs.DirEntry, error) {
	found, err := s.here(interp.HandlerCtx(ctx), inside)
	if err != nil {
		return nil, err
	}
	return os.ReadDir(found)
}

// knownFlags are the flags of programs that work on files. With another flag, a program is one that does not run. `cp`
// keeps no owners and no times.
var knownFlags = map[string]string{
	"cat": "u", "cp": "Rafpr", "mkdir": "p", "mv": "f", "rm": "Rfr", "tee": "ai", "touch": "",
}

// onFiles runs a program that works on files, and returns its exit code; false if it is not one, or has no files.
func (s *shell) onFiles(ctx context.Context, name string, words []string) (code uint8, isDone bool) {
	around := interp.HandlerCtx(ctx)
	switch name {
	case "sync":
		return 0, true
	case "seq":
		return sequence(around.Stdout, words)
	}
	known, isOne := knownFlags[name]
	flags, paths, areKnown := separate(words, known)
	switch {
	case !isOne || !areKnown:
		return 0, false
	case name == "tee":
		return s.tee(ctx, paths, strings.Contains(flags, "a")), true
	case name == "cat" && len(paths) == 0:
		paths = []string{"-"}
	}
	last := ""
	if name == "cp" || name == "mv" {
		if len(paths) < 2 {
			return 0, false
		}
		paths, last = paths[:len(paths)-1], paths[len(paths)-1]
	}
	for _, inside := range paths {
		if name == "cat" && inside == "-" {
			code = max(code, copied(around.Stdout, around.Stdin))
			continue
		}
		here, err := s.here(around, inside)
		if s.isReadBeforehand() {
			return 0, false
		}
		if err == nil {
			err = s.onFile(around, name, flags, inside, here, last)
		}
		if err != nil {
			fmt.Fprintf(around.Stderr, "%s: %s: %v\n", name, inside, cause(err))
			code = 1
		}
	}
	return code, true
}

// onFile is what a program does with one of its paths; `last` is where `cp` and `mv` put it.
func (s *shell) onFile(around interp.HandlerContext, name, flags, inside, here, last string) error {
	switch name {
	case "cat":
		return read(here, around.Stdout)
	case "mkdir":
		if flags != "" {
			return os.MkdirAll(here, folderPermissions)
		}
		return os.Mkdir(here, folderPermissions)
	case "touch":
		return touch(here)
	case "rm":
		return remove(here, flags)
	}
	target, err := s.here(around, last)
	if err != nil {
		return err
	}
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		target = filepath.Join(target, filepath.Join("/", filepath.Base(inside))) // `..` stays in the folder
	}
	if name == "mv" {
		return os.Rename(here, target)
	}
	return duplicate(here, target, strings.ContainsAny(flags, "Rar"))
}

// separate returns the letters of a program's flags and its other words; false with a flag that is not known.
func separate(words []string, known string) (flags string, paths []string, areKnown bool) {
	for index, word := range words {
		switch {
		case word == "--":
			return flags, append(paths, words[index+1:]...), true
		case len(word) < 2 || word[0] != '-':
			paths = append(paths, word)
		case strings.Trim(word[1:], known) != "":
			return "", nil, false
		default:
			flags += word[1:]
		}
	}
	return flags, paths, true
}

// cause is an error without the paths of this machine.
func cause(err error) error {
	var ofPath *fs.PathError
	var ofLink *os.LinkError
	switch {
	case errors.As(err, &ofPath):
		return ofPath.Err
	case errors.As(err, &ofLink):
		return ofLink.Err
	}
	return err
}

func read(here string, out io.Writer) error {
	file, err := os.Open(here)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(out, file)
	return err
}

func touch(here string) error {
	file, err := os.OpenFile(here, os.O_CREATE|os.O_WRONLY, filePermissions)
	if err != nil {
		return err
	}
	defer file.Close()
	return os.Chtimes(here, time.Now(), time.Now())
}

func remove(here, flags string) error {
	if strings.ContainsAny(flags, "rR") {
		return os.RemoveAll(here)
	}
	err := os.Remove(here)
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(flags, "f") {
		return nil
	}
	return err
}

// duplicate copies a file, and with its content a folder; what is at the target is replaced.
func duplicate(here, target string, withFolders bool) error {
	info, err := os.Stat(here)
	inside, _ := filepath.Rel(here, target)
	switch {
	case err != nil:
		return err
	case filepath.IsLocal(inside):
		return errors.New("cannot be copied into itself")
	case !info.IsDir():
		return duplicateFile(here, target)
	case !withFolders:
		return errors.New("omitting directory")
	}
	return fs.WalkDir(os.DirFS(here), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(target, path), folderPermissions)
		}
		return duplicateFile(filepath.Join(here, path), filepath.Join(target, path))
	})
}

func duplicateFile(here, target string) error {
	file, err := os.Create(target)
	if err != nil {
		return err
	}
	defer file.Close()
	return read(here, file)
}

// tee copies its input to its output and to files.
func (s *shell) tee(ctx context.Context, paths []string, appends bool) (code uint8) {
	around := interp.HandlerCtx(ctx)
	writers, flag := []io.Writer{around.Stdout}, os.O_CREATE|os.O_WRONLY|os.O_TRUNC
	if appends {
		flag = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	for _, inside := range paths {
		file, err := s.open(ctx, inside, flag, filePermissions)
		if err != nil {
			fmt.Fprintf(around.Stderr, "tee: %s: %v\n", inside, cause(err))
			code = 1
			continue
		}
		defer file.Close()
		writers = append(writers, file)
	}
	return max(code, copied(io.MultiWriter(writers...), around.Stdin))
}

func copied(out io.Writer, in io.Reader) uint8 {
	if in != nil {
		if _, err := io.Copy(out, in); err != nil {
			return 1
		}
	}
	return 0
}

// sequence prints the numbers of `seq [FIRST [STEP]] LAST`.
func sequence(out io.Writer, words []string) (code uint8, isDone bool) {
	numbers := make([]int, len(words))
	for index, word := range words {
		number, err := strconv.Atoi(word)
		if err != nil {
			return 0, false
		}
		numbers[index] = number
	}
	first, step := 1, 1
	switch len(numbers) {
	case 1:
	case 2:
		first = numbers[0]
	case 3:
		first, step = numbers[0], numbers[1]
	default:
		return 0, false
	}
	last := numbers[len(numbers)-1]
	for number := first; step > 0 && number <= last || step < 0 && number >= last; number += step {
		if _, err := fmt.Fprintln(out, number); err != nil {
			return 1, true
		}
	}
	return 0, true
}
