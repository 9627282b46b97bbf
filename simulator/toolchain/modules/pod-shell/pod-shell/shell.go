package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// sleepBeside is `sleep` in the background: it alone runs beside the script, which waits for other commands.
const sleepBeside = "sleep&"

// notOfLibrary begins the name of a builtin that `program` runs: the library lacks it, or its own is about this process
// and not about the container. No word of a script can begin so.
const notOfLibrary = "\x00"

// defaults are variables that the library would otherwise take from this machine.
var defaults = []string{"HOME=/", "PATH=", "TMPDIR=/tmp", "UID=0", "EUID=0", "GID=0"}

// syntaxError is the exit code of a shell that cannot read its script.
const syntaxError = 2

// errProcessSubstitution: the library would make a pipe outside of the pod's folders.
var errProcessSubstitution = errors.New("a script with <(...) or >(...)")

// A shell runs the script of a container, and of shells in that script.
type shell struct {
	container
	*simulator
	// signals guards what follows: the commands of a pipe run at once.
	signals sync.Mutex
	// trap is the code for SIGTERM; nil without one.
	trap *string
	// isSignaled is whether SIGTERM has come, and the trap has not run.
	isSignaled bool
	// beside is how many simulated seconds `sleep` still takes in the background.
	beside float64
}

// run runs the script of `sh -c SCRIPT` and returns the exit code.
func (s *shell) run(ctx context.Context, words, environment []string, in io.Reader, out, complaints io.Writer) uint8 {
	flags, operands, hasScript := options(words[1:])
	if !hasScript || len(operands) == 0 {
		return s.play(words, out, complaints)
	}
	name := words[0]
	if len(operands) > 1 {
		name = operands[1]
	}
	file, err := parse(operands[0], name)
	if err == errProcessSubstitution {
		fmt.Fprintf(complaints, "[simulator] not run: %v\n", err)
		return 0
	}
	if err != nil {
		fmt.Fprintln(complaints, err)
		return syntaxError
	}
	known := expand.ListEnviron(append(defaults, environment...)...)
	if s.isReadBeforehand() {
		for _, name := range unknown(file, known) {
			s.send(map[string]any{"needs": true})
			s.send(map[string]any{"say": "[simulator] not known here: $" + name})
		}
	}
	runner, err := interp.New(
		interp.StdIO(in, out, complaints),
		interp.Dir("/"),
		interp.Env(known),
		interp.Params(append(append(flags, "--"), operands[min(len(operands), 2):]...)...),
		interp.CallHandler(s.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.exec }),
		interp.OpenHandler(s.open),
		interp.StatHandler(s.stat),
		interp.AccessHandler(s.access),
		interp.ReadDirHandler2(s.readDir),
	)
	if err != nil {
		fmt.Fprintf(complaints, "%s: %v\n", words[0], err)
		return syntaxError
	}
	return code(runner.Run(ctx, file), complaints)
}

// options returns the flags of a shell that have a meaning here, the words after them, and whether `-c` is among them.
func options(words []string) (flags, operands []string, hasScript bool) {
	for len(words) > 0 && len(words[0]) > 1 && strings.ContainsAny(words[0][:1], "-+") {
		word := words[0]
		words = words[1:]
		if strings.HasPrefix(word, "--") {
			continue
		}
		for _, letter := range word[1:] {
			switch {
			case letter == 'c':
				hasScript = true
			case letter == 'o' && len(words) > 0:
				flags = append(flags, word[:1]+"o", words[0])
				words = words[1:]
			case strings.ContainsRune("aefnux", letter):
				flags = append(flags, word[:1]+string(letter))
			}
		}
	}
	return flags, words, hasScript
}

// parse reads a script. Commands in the background become commands that the script waits for, except `sleep`.
func parse(script, name string) (*syntax.File, error) {
	file, err := syntax.NewParser().Parse(strings.NewReader(script), name)
	if err != nil {
		return nil, err
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Stmt:
			if call, isCall := node.Cmd.(*syntax.CallExpr); isCall && node.Background &&
				len(call.Args) > 0 && call.Args[0].Lit() == "sleep" {
				call.Args[0] = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: sleepBeside}}}
			}
			node.Background = false
		case *syntax.ProcSubst:
			err = errProcessSubstitution
		}
		return true
	})
	return file, err
}

// unknown are the variables that a script uses, and that neither it nor the container sets, by name.
func unknown(file *syntax.File, known expand.Environ) []string {
	used, isSet := map[string]bool{}, map[string]bool{}
	for _, name := range strings.Fields("IFS LINENO OLDPWD OPTARG OPTIND PWD RANDOM REPLY") { // the shell's own
		isSet[name] = true
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.ParamExp:
			if node.Param != nil && syntax.ValidName(node.Param.Value) {
				used[node.Param.Value] = true
			}
		case *syntax.Assign:
			if node.Name != nil {
				isSet[node.Name.Value] = true
			}
		case *syntax.WordIter:
			isSet[node.Name.Value] = true
		case *syntax.CallExpr:
			if len(node.Args) > 0 && node.Args[0].Lit() == "read" {
				for _, word := range node.Args[1:] {
					isSet[word.Lit()] = true
				}
			}
		}
		return true
	})
	maps.DeleteFunc(used, func(name string, _ bool) bool { return isSet[name] || known.Get(name).IsSet() })
	return slices.Sorted(maps.Keys(used))
}

// code returns the exit code of a runner's error, and reports other errors.
func code(err error, report io.Writer) uint8 {
	var status interp.ExitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return uint8(status)
	default:
		fmt.Fprintf(report, "[simulator] the script ends: %v\n", err)
		return 1
	}
}

// call is called before each simple command, and may put another in its place.
func (s *shell) call(_ context.Context, words []string) ([]string, error) {
	switch words[0] {
	case "trap":
		return s.setTrap(words), nil
	case "wait", "hash", "jobs", "kill", "times", "ulimit", "umask":
		return append([]string{notOfLibrary + words[0]}, words[1:]...), nil
	}
	return words, nil
}

// setTrap takes SIGTERM out of a trap; of other signals, only the library's own are left.
func (s *shell) setTrap(words []string) []string {
	if len(words) < 3 { // no code
		return words
	}
	left := words[:2:2]
	for _, signal := range words[2:] {
		switch strings.TrimPrefix(signal, "SIG") {
		case "TERM", "15":
			trap := &words[1]
			if *trap == "-" {
				trap = nil
			}
			s.signals.Lock()
			s.trap = trap
			s.signals.Unlock()
			s.send(map[string]any{"trap": trap != nil})
		case "EXIT", "0":
			left = append(left, "EXIT")
		case "ERR":
			left = append(left, "ERR")
		}
	}
	if len(left) == 2 { // no signal
		return []string{":"}
	}
	return left
}

// exec runs a program, and then the code for SIGTERM if that came meanwhile. The shells in a pipe and in $(...) do not
// handle signals: exec knows them by their output, and takes one that writes to a file for the script itself.
func (s *shell) exec(ctx context.Context, words []string) error {
	around := interp.HandlerCtx(ctx)
	words[0] = strings.TrimPrefix(words[0], notOfLibrary)
	code := s.program(ctx, around, words)
	if isLogOrFile(around.Stdout) {
		if trap := s.takeTrap(); trap != nil {
			if err := around.Builtin(ctx, []string{"eval", *trap + "\n:"}); err != nil {
				return err
			}
		}
	}
	if code != 0 {
		return interp.ExitStatus(code)
	}
	return nil
}

// isLogOrFile is whether an output is the log, a file or nothing; others are pipes, or read by $(...).
func isLogOrFile(out io.Writer) bool {
	switch out := out.(type) {
	case *simulator, podFile:
		return true
	case writeOnly:
		return isLogOrFile(out.Writer)
	default:
		return out == io.Discard
	}
}

// takeTrap returns the code for a SIGTERM that has come, once; nil without either.
func (s *shell) takeTrap() *string {
	s.signals.Lock()
	defer s.signals.Unlock()
	if !s.isSignaled || s.trap == nil {
		return nil
	}
	s.isSignaled = false
	return s.trap
}

// program runs a shell, a program that works on files, or one that is played.
func (s *shell) program(ctx context.Context, around interp.HandlerContext, words []string) uint8 {
	switch name := path.Base(words[0]); name {
	case "sh", "bash", "ash", "dash":
		environment := []string{}
		around.Env.Each(func(name string, value expand.Variable) bool {
			if value.Exported && value.Kind == expand.String {
				environment = append(environment, name+"="+value.Str)
			}
			return true
		})
		inner := &shell{container: s.container, simulator: s.simulator}
		code := inner.run(ctx, words, environment, around.Stdin, around.Stdout, around.Stderr)
		s.passed(0, inner.isSignaled)
		return code
	case sleepBeside:
		steps := s.command(append([]string{"sleep"}, words[1:]...)).Steps
		s.signals.Lock()
		defer s.signals.Unlock()
		for _, step := range steps {
			s.beside = max(s.beside, step.Seconds)
		}
		return 0
	case "wait":
		s.signals.Lock()
		seconds := s.beside
		s.signals.Unlock()
		s.sleep(seconds, true)
		return 0
	default:
		if code, isDone := s.onFiles(ctx, name, words[1:]); isDone {
			return code
		}
		return s.play(words, around.Stdout, around.Stderr)
	}
}

// command asks the simulator for the steps of a command.
func (s *shell) command(words []string) (found played) {
	s.ask(map[string]any{"run": words}, &found)
	return found
}

// play lets the time of a command pass, prints what it would print and returns its exit code.
func (s *shell) play(words []string, out, complaints io.Writer) uint8 {
	command := s.command(words)
	for _, step := range command.Steps {
		if step.Seconds > 0 {
			s.sleep(step.Seconds, false)
		}
		switch {
		case step.Output == nil:
		case step.IsError:
			fmt.Fprintln(complaints, *step.Output)
		default:
			fmt.Fprintln(out, *step.Output)
		}
	}
	return command.ExitCode
}

// sleep lets simulated seconds pass, fewer if SIGTERM comes and may end them.
func (s *shell) sleep(seconds float64, untilSignal bool) {
	var answer struct {
		Signaled bool `json:"signaled"`
	}
	s.ask(map[string]any{"sleep": seconds, "until_signal": untilSignal}, &answer)
	s.passed(seconds, answer.Signaled)
}

// passed notes that simulated seconds have passed, and whether SIGTERM came in them.
func (s *shell) passed(seconds float64, isSignaled bool) {
	s.signals.Lock()
	defer s.signals.Unlock()
	s.isSignaled = s.isSignaled || isSignaled
	s.beside = max(0, s.beside-seconds)
}

// isReadBeforehand is whether the script has no files.
func (s *shell) isReadBeforehand() bool {
	return len(s.Folders) == 0
}
