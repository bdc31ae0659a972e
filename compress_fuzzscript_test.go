package servery_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// script is one request, the server that it goes to, and what the handler does with
// it. It has two forms: bytes, in which every value means something, for the fuzzing
// engine, and a text for people, a choice or a step a line.
//
// The first bytes choose from scriptChoices, one each. Then three make a step: what
// is done, and two words of its own.
type script struct {
	choices [len(scriptChoices)]int
	steps   []scriptStep
	total   int  // plain bytes that the steps mean to write
	hijacks bool // one of the steps does
}

type scriptStep struct{ act, first, second int } // indexes into scriptActs and its words

// The bounds keep one script short: ten thousand are to take seconds.
const (
	scriptMostSteps = 24
	scriptMostBytes = 250_000
	scriptStepBytes = 3
)

// readScript makes a script of any bytes.
func readScript(data []byte) *script {
	s := new(script)
	for i, choice := range scriptChoices {
		if i < len(data) {
			s.choices[i] = int(data[i]) % len(choice.words)
		}
	}
	data = data[min(len(scriptChoices), len(data)):]
	for step := range slices.Chunk(data, scriptStepBytes) {
		if len(step) == scriptStepBytes && len(s.steps) < scriptMostSteps {
			act := int(step[0]) % len(scriptActs)
			s.add(scriptStep{act, word(step[1], scriptActs[act].first), word(step[2], scriptActs[act].second)})
		}
	}
	return s
}

func word(b byte, words []string) int { return int(b) % max(len(words), 1) }

// add leaves out what would make the script too long, and what no step leads to.
func (s *script) add(step scriptStep) {
	if s.total+step.size() > scriptMostBytes || len(s.steps) > 0 && s.steps[len(s.steps)-1].ends() {
		return
	}
	s.steps = append(s.steps, step)
	s.total += step.size()
	s.hijacks = s.hijacks || scriptActs[step.act].name == "hijack"
}

// ends reports whether the handler does nothing more after a step.
func (step scriptStep) ends() bool {
	name := scriptActs[step.act].name
	return name == "panic" || name == "return"
}

// size is how many plain bytes a step means to write.
func (step scriptStep) size() int {
	switch act := scriptActs[step.act]; {
	case !act.writes:
		return 0
	case strings.HasPrefix(act.first[step.first], "half"):
		return scriptSizes[step.second] / 2
	}
	return scriptSizes[step.second]
}

// chosen is the word of a choice.
func (s *script) chosen(name string) string {
	for i, choice := range scriptChoices {
		if choice.name == name {
			return choice.words[s.choices[i]]
		}
	}
	panic("no choice " + name)
}

func (s *script) isHTTP2() bool { return s.chosen("version") == "HTTP/2" }
func (s *script) isHead() bool  { return s.chosen("method") == "HEAD" }

// String leaves out the choices that are the first of their words.
func (s *script) String() string {
	var b strings.Builder
	for i, choice := range scriptChoices {
		if s.choices[i] > 0 {
			fmt.Fprintf(&b, "%s %s\n", choice.name, choice.words[s.choices[i]])
		}
	}
	for _, step := range s.steps {
		act := scriptActs[step.act]
		words := []string{act.name}
		if act.first != nil {
			words = append(words, act.first[step.first])
		}
		if act.second != nil {
			words = append(words, act.second[step.second])
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	return b.String()
}

// scriptBytes are the bytes that readScript makes the script of this text of.
func scriptBytes(text string) ([]byte, error) {
	var choices [len(scriptChoices)]byte
	var steps bytes.Buffer
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		name, words, _ := strings.Cut(line, " ")
		i := slices.IndexFunc(scriptChoices[:], func(c scriptChoice) bool { return c.name == name })
		if i >= 0 {
			w := slices.Index(scriptChoices[i].words, words)
			if w < 0 {
				return nil, fmt.Errorf("%q: no such word", line)
			}
			choices[i] = byte(w)
		} else if err := writeStep(&steps, name, words); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	return append(choices[:], steps.Bytes()...), nil
}

func writeStep(b *bytes.Buffer, name, words string) error {
	i := slices.IndexFunc(scriptActs, func(act scriptAct) bool { return act.name == name })
	if i < 0 {
		return fmt.Errorf("no such act")
	}
	first, second := words, ""
	if scriptActs[i].second != nil {
		first, second, _ = strings.Cut(words, " ")
	}
	one, err := indexOf(scriptActs[i].first, first)
	if err != nil {
		return err
	}
	two, err := indexOf(scriptActs[i].second, second)
	b.Write([]byte{byte(i), one, two})
	return err
}

func indexOf(words []string, word string) (byte, error) {
	if i := slices.Index(words, word); i >= 0 || words == nil && word == "" {
		return byte(max(i, 0)), nil
	}
	return 0, fmt.Errorf("no word %s", strconv.Quote(word))
}
