// Command pulumi-language-python runs Python programs, policy packs and providers for the Pulumi engine. It is made of
// the SDK's own parts: python/toolchain finds and installs the environment (pip, poetry, uv), and
// pulumi-language-python-exec, which lies beside this command, runs a program.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/cmdutil"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/logging"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

// healthPeriod is how often the host looks whether the engine still runs.
const healthPeriod = time.Second

func main() {
	tracing := flag.String("tracing", "", "where the program sends its traces")
	flag.Parse()
	logging.InitLogging(false, 0, false) // the SDK has defined flags for its log, and reads them
	if flag.NArg() != 1 {
		cmdutil.Exit(fmt.Errorf("this is a plugin of Pulumi: the engine starts it, with its own address as the argument"))
	}
	if err := serve(flag.Arg(0), *tracing); err != nil {
		cmdutil.Exit(err)
	}
}

// serve answers the engine until it has ended or a signal comes; by then every program has ended too.
func serve(engine, tracing string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	programs, cancel := context.WithCancel(ctx)
	defer cancel()
	host := &languageHost{
		exec:     filepath.Join(filepath.Dir(self), "pulumi-language-python-exec"),
		engine:   engine,
		tracing:  tracing,
		programs: programs,
		cancel:   cancel,
	}
	if err := rpcutil.Healthcheck(ctx, engine, healthPeriod, stop); err != nil {
		return err
	}
	ended := make(chan bool)
	context.AfterFunc(ctx, func() { close(ended) })
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: ended,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, host)
			return nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Println(handle.Port)
	return <-handle.Done
}
