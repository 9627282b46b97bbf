//go:build tools

// Package tools is never compiled. The build reads this file of every module: it imports the commands of other projects
// that the module builds. This module builds none, only `pod-shell` of this project.
package tools
