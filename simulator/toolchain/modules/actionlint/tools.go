//go:build tools

// Package tools pins the commands that this module builds; it is never compiled.
package tools

import (
	_ "github.com/rhysd/actionlint/cmd/actionlint"
)
