//go:build !unix

package main

import "syscall"

func asNobody() *syscall.SysProcAttr { return nil }
