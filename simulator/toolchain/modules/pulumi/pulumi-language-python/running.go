package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
)

// shownExit is the exit code of a program that has shown its error already.
const shownExit = 32

// launcher runs a script, or with -m a module, with variables that it reads from its input: those with which a process
// is started are in /proc for all processes of the user, and a configuration has secrets. Its input is empty then.
const launcher = `
import json, os, runpy, sys
os.environ.update(json.load(sys.stdin.buffer))
option, name, *arguments = sys.argv[1:]
sys.argv = [name, *arguments]
if option == "-m":
    runpy.run_module(name, run_name="__main__", alter_sys=True)
else:
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(name)
    runpy.run_path(name, run_name="__main__")
`

// maximalVariable is the size in bytes of a variable of the environment on Linux, with its name and the last zero
// (MAX_ARG_STRLEN of linux/binfmts.h).
const maximalVariable = 128 << 10

// outputDelay is how long the host reads the output of what a program has left running.
const outputDelay = 5 * time.Second

// oneAtATime is a stream on which several writers send; gRPC allows one at a time.
type oneAtATime[T any] struct {
	grpc.ServerStreamingServer[T]
	lock sync.Mutex
}

func (s *oneAtATime[T]) Send(message *T) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.ServerStreamingServer.Send(message)
}

// until is a call's context that ends with all programs too.
func (h *languageHost) until(call context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(call)
	stop := context.AfterFunc(h.programs, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// grouped makes a command a process group, which ends as a whole with the command's context, and its process also when
// this host is killed (on Linux, at the end of the thread that started it; no goroutine here locks its thread).
func grouped(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	command.Cancel = func() error { return killGroup(command) }
	command.WaitDelay = outputDelay
}

// killGroup ends a command that was started, and all that it started.
func killGroup(command *exec.Cmd) error {
	if command.Process == nil {
		return nil
	}
	return syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
}

// Run runs a program until it has ended.
func (h *languageHost) Run(call context.Context, request *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	if request.AttachDebugger {
		return nil, errors.New("this language host cannot attach a debugger; run without --attach-debugger")
	}
	tools, err := existing(call, request.Info, "")
	if err != nil {
		return nil, err
	}
	if err := fits(request.Stack, request.Config); err != nil {
		return nil, err
	}
	variables, err := configuration(request.Config, request.ConfigSecretKeys)
	if err != nil {
		return nil, err
	}
	arguments := []string{"-c", launcher, "script", h.exec}
	for _, option := range [][2]string{
		{"monitor", request.MonitorAddress},
		{"engine", h.engine},
		{"project", request.Project},
		{"root_directory", request.Info.RootDirectory},
		{"stack", request.Stack},
		{"pwd", request.Pwd},
		{"dry_run", strconv.FormatBool(request.DryRun)},
		{"parallel", strconv.Itoa(int(request.Parallel))},
		{"tracing", h.tracing},
		{"organization", request.Organization},
	} {
		if option[1] != "" {
			arguments = append(arguments, "--"+option[0], option[1])
		}
	}
	arguments = append(append(arguments, request.Info.EntryPoint), request.Args...)
	ctx, done := h.until(call)
	defer done()
	command, err := tools.Command(ctx, arguments...)
	if err != nil {
		return nil, err
	}
	grouped(command)
	command.Dir = string(filepath.Separator) // until the script is there: no module of a program is the launcher's
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(variables), os.Stdout, os.Stderr
	err = command.Run()
	_ = killGroup(command) // what the program left running; there may be nothing
	switch {
	case command.ProcessState == nil:
		return nil, err
	case ctx.Err() != nil || command.ProcessState.ExitCode() == shownExit:
		return &pulumirpc.RunResponse{Bail: true}, nil
	default:
		return &pulumirpc.RunResponse{Error: ending(command.ProcessState)}, nil
	}
}

// ending says how a program failed; it is empty for one that did not.
func ending(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		number := status.Signal()
		return fmt.Sprintf("program was killed by signal %d (%s)", number, unix.SignalName(number))
	}
	if code := state.ExitCode(); code != 0 {
		return fmt.Sprintf("program exited with non-zero exit code: %d", code)
	}
	return ""
}

// configuration is a JSON object of the variables with the configuration of a stack, as the SDK reads them, and of more
// variables, each a name and a value.
func configuration(config map[string]string, secretKeys []string, more ...[2]string) ([]byte, error) {
	values, err := encoded(config)
	if err != nil {
		return nil, err
	}
	keys, err := json.Marshal(append([]string{}, secretKeys...))
	if err != nil {
		return nil, err
	}
	variables := map[string]string{"PULUMI_CONFIG": string(values), "PULUMI_CONFIG_SECRET_KEYS": string(keys)}
	for _, variable := range more {
		variables[variable[0]] = variable[1]
	}
	return json.Marshal(variables)
}

// encoded is a configuration as JSON; {} where there is none.
func encoded(config map[string]string) ([]byte, error) {
	if config == nil {
		config = map[string]string{}
	}
	return json.Marshal(config)
}

// fits is an error for a configuration that a program could not pass on: other hosts start a program with it in a
// variable of its environment, and so does a program that starts others.
func fits(stack string, config map[string]string) error {
	values, err := encoded(config)
	if err != nil {
		return err
	}
	room := maximalVariable - len("PULUMI_CONFIG=") - 1
	if len(values) <= room {
		return nil
	}
	largest := ""
	for key, value := range config {
		if len(value) > len(config[largest]) {
			largest = key
		}
	}
	return fmt.Errorf("the configuration of stack %s is %d bytes; a program can pass on at most %d, in a variable of its "+
		"environment. The largest key is %s with %d bytes. State counts in the stack file (slices: 64) instead of lists",
		stack, len(values), room, largest, len(config[largest]))
}
