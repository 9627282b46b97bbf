// Command plugin serves Pulumi's kubernetes provider, made of the packages of its own module.
//
// The module's own command embeds files that only its release process makes. This one reads the two from its folder,
// where the toolchain puts them out of the module's zip.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

// sdk is the release of the Python SDK whose programs this plugin serves: the engine asks for no older plugin.
// The code is not of that release, but of the module's version in go.mod.
const sdk = "4.34.2"

func main() {
	schema, err := beside("schema.json")
	if err != nil {
		fail(err)
	}
	mapping, err := beside("terraform-mapping.json")
	if err != nil {
		fail(err)
	}
	provider.Serve("kubernetes", sdk, schema, mapping)
}

// beside reads a file in the folder of this program, whatever links lead to it.
func beside(name string) ([]byte, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(filepath.Dir(self), name))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
