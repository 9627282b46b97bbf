// Command kubernetes is kube-apiserver, kube-controller-manager or kube-scheduler, as it is called. They have most of
// their code in common: as one program they share it in memory, and are linked once.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata" // for time zones of CronJobs

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": manager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

func main() {
	name := filepath.Base(os.Args[0])
	command, found := commands[name]
	if !found {
		fmt.Fprintf(os.Stderr, "%s is not a name of this program: it is called by the name of a part of the control plane\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
