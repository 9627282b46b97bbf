package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// installed prints the Pulumi packages of an environment as JSON. A generated package is in the folder of its name, and
// names its plugin in a file there; a package pulumi-... without the file needs the plugin of its own name and version.
const installed = `
import json, pathlib, re, sys
found = []
for info in (each for folder in sys.path for each in pathlib.Path(folder).glob("*.dist-info")):
    name, _, version = info.stem.partition("-")
    name = re.sub(r"[-_.]+", "-", name).lower()
    file = info.parent / name.replace("-", "_") / "pulumi-plugin.json"
    if file.exists():
        stated = json.loads(file.read_text())
    elif name.startswith("pulumi-") and name not in ("pulumi-policy", "pulumi-esc-sdk"):
        stated = {"resource": True}
    else:
        continue
    default = {"name": name.removeprefix("pulumi-"), "package": version}
    found.append(default | {key: value for key, value in stated.items() if value})
print(json.dumps(found))
`

// parameterization is that of a plugin which serves another package.
type parameterization struct {
	Name    string
	Version string
	Value   []byte
}

// pulumiPackage is one of those that installed prints.
type pulumiPackage struct {
	Name                      string
	Version                   string // of the plugin
	Package                   string // the version of the package, in Python's form
	Server                    string
	Resource                  bool
	Parameterization          *parameterization
	ExtensionParameterization *parameterization
}

// pythonVersion is a release, such as 1.2rc4.post1 (PEP 440).
var pythonVersion = regexp.MustCompile(`^(\d+(?:\.\d+)*)(?:(a|b|rc)(\d+))?(?:\.(post\d+))?(?:\.(dev\d+))?$`)

// stages are the pre-releases of Python in the words of semantic versions.
var stages = map[string]string{"a": "alpha", "b": "beta", "rc": "rc"}

func (h *languageHost) GetRequiredPackages(
	ctx context.Context, request *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	tools, err := existing(ctx, request.Info, "")
	if err != nil {
		return nil, err
	}
	said, err := output(ctx, tools, installed)
	if err != nil {
		return nil, err
	}
	var found []pulumiPackage
	if err := json.Unmarshal(said, &found); err != nil {
		return nil, fmt.Errorf("the pulumi-plugin.json of a package cannot be read: %w", err)
	}
	response := &pulumirpc.GetRequiredPackagesResponse{}
	for _, each := range found {
		if each.Version == "" {
			each.Version = pluginVersion(each.Package)
		}
		if !each.Resource || each.Version == "" {
			continue
		}
		response.Packages = append(response.Packages, &pulumirpc.PackageDependency{
			Name:             each.Name,
			Kind:             "resource",
			Version:          "v" + strings.TrimPrefix(each.Version, "v"),
			Server:           each.Server,
			Parameterization: each.Parameterization.message(),
			Extension:        each.ExtensionParameterization.message(),
		})
	}
	return response, nil
}

func (p *parameterization) message() *pulumirpc.PackageParameterization {
	if p == nil {
		return nil
	}
	return &pulumirpc.PackageParameterization{Name: p.Name, Version: p.Version, Value: p.Value}
}

// pluginVersion is the version of the plugin for that of a package: 1.2.0-rc.4 for 1.2rc4; empty if there is none.
func pluginVersion(release string) string {
	parts := pythonVersion.FindStringSubmatch(release)
	if parts == nil {
		return ""
	}
	version := parts[1] + strings.Repeat(".0", max(0, 2-strings.Count(parts[1], ".")))
	if parts[2] != "" {
		version += "-" + stages[parts[2]] + "." + parts[3]
	}
	if build := parts[4] + parts[5]; build != "" {
		version += "+" + build
	}
	return version
}
