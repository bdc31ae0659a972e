package drive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// What Linux says of a process. Other systems say nothing while it runs.

// mostResidentOfAll returns how many bytes of memory a process and its children, if it
// has workers, had at the most. What they share counts for each.
func mostResidentOfAll(pid int) (int64, error) { return sumOfAll(pid, mostResident) }

// processorTimeOfAll returns how much time of processors they have taken, to a hundredth
// of a second. What the host of a virtual machine took away meanwhile is not in it.
func processorTimeOfAll(pid int) (time.Duration, error) { return sumOfAll(pid, processorTime) }

func sumOfAll[T int64 | time.Duration](pid int, of func(pid int) (T, error)) (T, error) {
	sum, err := of(pid)
	if err != nil {
		return 0, err
	}
	pids, err := childrenOf(pid)
	if err != nil {
		return 0, err
	}
	for _, pid := range pids {
		n, err := of(pid)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// childrenOf lists what any thread of the process has started.
func childrenOf(pid int) (pids []int, err error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			return nil, err
		}
		for child := range strings.FieldsSeq(string(children)) {
			pid, err := strconv.Atoi(child)
			if err != nil {
				return nil, err
			}
			pids = append(pids, pid)
		}
	}
	return pids, err
}

func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseProcessorTime(string(stat))
}

// parseProcessorTime adds what the process spent in itself and in the kernel: fields 14
// and 15 of proc(5), counted from the name in parentheses, which may hold blanks.
func parseProcessorTime(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(fields) < 13 {
		return 0, errors.New("the status of the process says nothing of its time")
	}
	const tick = time.Second / 100 // on all systems that Go runs on
	var sum time.Duration
	for _, field := range fields[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(ticks) * tick
	}
	return sum, nil
}
