// Command pod-shell runs the shell of a container whose pod the simulator plays: mvdan.cc/sh interprets the script, the
// files are those of the pod's volumes, and the simulator lets simulated time pass and plays all other programs. It
// starts no process, and opens no file outside of the folders that it is given.
//
// Both sides write JSON, one value a line. The simulator begins with a container. Then pod-shell writes:
//
//	{"say": "a line"}                          a line of the log
//	{"needs": true}                            the script needs its volumes, variables or signals, which are not there
//	{"trap": true}                             from now on the script handles SIGTERM; false: it no longer does
//	{"sleep": 5, "until_signal": true}         answered after 5 simulated seconds, or at SIGTERM: {"signaled": true}
//	{"run": ["python", "-c", "print(1)"]}      answered with a played command
//	{"exit": 3}                                the end; without it, the script did not end in time
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A container is the simulator's first message.
type container struct {
	// Words are the shell, its options and its script.
	Words []string `json:"words"`
	// Environment has elements NAME=VALUE.
	Environment []string `json:"environment"`
	// Folders are those of this machine by their paths in the container; "/" is among them. Without any, the script is
	// only read beforehand: it finds no file, and what it writes is lost.
	Folders map[string]string `json:"folders"`
	// Seconds limits the real time; 0 means no limit.
	Seconds float64 `json:"seconds"`
}

// A played command has the steps of a program that does not run.
type played struct {
	Steps []struct {
		// Seconds are simulated.
		Seconds float64 `json:"seconds"`
		// Output is a line that is printed after them.
		Output  *string `json:"output"`
		IsError bool    `json:"is_error"`
	} `json:"steps"`
	ExitCode uint8 `json:"exit_code"`
}

// A simulator is the other side.
type simulator struct {
	lock     sync.Mutex
	messages chan json.RawMessage
	out      *json.Encoder
	line     []byte
}

// listen reads messages. Their end, or one that is broken, ends this process, whatever the script does at that moment.
func (s *simulator) listen(in io.Reader) {
	for decoder := json.NewDecoder(in); ; {
		var message json.RawMessage
		err := decoder.Decode(&message)
		if err == io.EOF { // the simulator was killed
			os.Exit(1)
		}
		s.must(err)
		s.messages <- message
	}
}

// receive waits for the next message.
func (s *simulator) receive(message any) {
	s.must(json.Unmarshal(<-s.messages, message))
}

// send writes a message. A simulator that is gone ends this process.
func (s *simulator) send(message map[string]any) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.must(s.out.Encode(message))
}

// ask writes a message and waits for its answer. It holds the lock until then: of the commands of a pipe, the sleeps and
// the output come one after the other, in no promised order.
func (s *simulator) ask(message map[string]any, answer any) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.must(s.out.Encode(message))
	s.receive(answer)
}

func (s *simulator) must(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "pod-shell: %v\n", err)
		os.Exit(1)
	}
}

// Write takes the script's output, and sends each whole line to the simulator.
func (s *simulator) Write(text []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.line = append(s.line, text...)
	for {
		line, rest, isWhole := bytes.Cut(s.line, []byte("\n"))
		if !isWhole {
			return len(text), nil
		}
		s.must(s.out.Encode(map[string]any{"say": string(line)}))
		s.line = rest
	}
}

func main() {
	simulator := &simulator{messages: make(chan json.RawMessage), out: json.NewEncoder(os.Stdout)}
	go simulator.listen(os.Stdin)
	given := container{}
	simulator.receive(&given)
	if given.Seconds > 0 {
		time.AfterFunc(time.Duration(given.Seconds*float64(time.Second)), func() {
			simulator.lock.Lock() // no message is cut short
			os.Exit(0)
		})
	}
	shell := &shell{container: given, simulator: simulator}
	code := shell.run(context.Background(), given.Words, given.Environment, nil, simulator, simulator)
	if len(simulator.line) > 0 {
		fmt.Fprintln(simulator)
	}
	simulator.send(map[string]any{"exit": code})
}
