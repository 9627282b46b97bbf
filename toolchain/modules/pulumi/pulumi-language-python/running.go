package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
	context.AfterFunc(h.programs, cancel)
	return ctx, cancel
}

// grouped makes a command a process group, which ends as a whole with the command's context, and its process also when
// this host is killed (on Linux, at the end of the thread that started it; Go ends no thread).
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
	arguments := []string{h.exec}
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
	variables, err := configuration(request.Config, request.ConfigSecretKeys)
	if err != nil {
		return nil, err
	}
	grouped(command)
	command.Env = append(command.Environ(), variables...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	err = command.Run()
	_ = killGroup(command) // what the program left running; there may be nothing
	switch {
	case errors.Is(err, syscall.E2BIG):
		return nil, tooLarge(request.Stack, request.Config)
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

// configuration is the variables with a stack's configuration, as the SDK reads them.
func configuration(config map[string]string, secretKeys []string) ([]string, error) {
	if config == nil {
		config = map[string]string{}
	}
	values, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	keys, err := json.Marshal(append([]string{}, secretKeys...))
	if err != nil {
		return nil, err
	}
	return []string{"PULUMI_CONFIG=" + string(values), "PULUMI_CONFIG_SECRET_KEYS=" + string(keys)}, nil
}

// tooLarge is the error for a configuration that the system does not accept as a variable: Linux allows 128 KiB.
func tooLarge(stack string, config map[string]string) error {
	size, largest := 0, ""
	for key, value := range config {
		size += len(value)
		if len(value) > len(config[largest]) {
			largest = key
		}
	}
	return fmt.Errorf("the configuration of stack %s is %d bytes, too large for the environment variable in which a "+
		"program gets it. The largest key is %s with %d bytes. State counts in the stack file (slices: 64) instead of "+
		"lists", stack, size, largest, len(config[largest]))
}
