//go:build tools

// Package tools pins the commands that this module builds; it is never compiled. Its only command is of this project.
package tools
