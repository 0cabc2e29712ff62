package tracee

// Kind says what an event is.
type Kind uint8

const (
	// What the kernel tells of a thread Tid:

	Born     Kind = iota // it stands before its first instruction
	Signaled             // it stands before Signal is delivered
	Grouped              // it has stopped for job control, by Signal
	Trapped              // it stands because it was interrupted, or its job was continued
	Forked               // it stands after it made Child by How
	Executed             // it stands in another program, in which it has Tid instead of Former
	Called               // it stands at a system call
	Ended                // it is gone, and the process if Tid is that's number

	// What the owner says or asks:

	Launched // process Tid stands before its first instruction
	Seized   // thread Tid of process Pid was taken, and runs
	Announce // process Pid has made Child, and has ended since
	Decide   // of Child: Decision
	Resume   // thread Tid, by Pace
	Owe      // thread Tid gets Signal when it goes on, in place of what it stands for
	Want     // thread Tid is to stop for Errand
	Forgo    // and is not
	Release  // process Pid
	Trap     // process Pid: Fork
	Lost     // thread Tid is traced no more
	Time     // it is At

	// What an order found:

	Missing // Interrupt: thread Tid is gone
	Found   // Look
	Righted // PutRight: thread Tid; Stays: a signal of ours is on its way, and must be met
	Judged  // Judge: thread Tid gets Signal; Stays: it must not be let go there
	kinds
)

// Event is one that Step takes. The fields that a Kind does not name are zero.
type Event struct {
	Kind     Kind     `json:"event"`
	Tid      int      `json:"tid,omitempty"`
	Pid      int      `json:"pid,omitempty"`
	Signal   int      `json:"signal,omitempty"`
	Child    int      `json:"child,omitempty"`
	How      string   `json:"how,omitempty"`    // fork, vfork or clone
	Group    int      `json:"group,omitempty"`  // Forked by clone, Found: the process that the thread is of; 0: it is gone
	Shares   bool     `json:"shares,omitempty"` // Forked, Found: it has its parent's memory
	Former   int      `json:"former,omitempty"`
	Status   uint32   `json:"status,omitempty"` // Ended, as wait(2) gives it
	CPU      int64    `json:"cpu,omitempty"`    // Ended: nanoseconds of the process
	At       int64    `json:"at,omitempty"`     // of the kernel's events and Time: nanoseconds of any clock
	Decision Decision `json:"decision,omitempty"`
	Pace     Pace     `json:"pace,omitempty"`
	Errand   Errand   `json:"errand,omitempty"`
	Fork     Fork     `json:"fork,omitempty"`
	Parent   int      `json:"parent,omitempty"` // Found: of the process
	Alive    bool     `json:"alive,omitempty"`  // Found
	Again    bool     `json:"again,omitempty"`  // Found: it can't be known now
	Stays    bool     `json:"stays,omitempty"`
}

// Pace is how a thread goes on.
type Pace uint8

const (
	Onward Pace = iota // until something happens
	Step               // one instruction
	Calls              // until the next system call, too
)

// Do says what an order is.
type Do uint8

const (
	Restart   Do = iota // thread Tid, by Pace, with Signal
	Interrupt           // thread Tid; if it is gone, the answer is Missing
	Listen              // let thread Tid stay stopped until its job is continued
	Detach              // thread Tid, with Signal
	PutRight            // make thread Tid what it would be without us; answer Righted
	Look                // what thread Tid is; answer Found
	Judge               // whether Signal of thread Tid, which is to be let go, is of our making; answer Judged
	Tell                // the owner, of Word
)

// Word is what the owner is told.
type Word uint8

const (
	NoWord       Word = iota // the order is another than Tell
	ThreadMade               // process Pid has a thread Tid, whose beginning is to come
	ThreadBegins             // thread Tid stands
	ChildMade                // process Pid has made Child, which waits for Decide. Thread Tid, which did it, stands; 0: nobody's
	ChildBegins              // process Tid, made by Pid, stands: Decision
	ChildGone                // Child, made by Pid, has ended before it began
	ChildPassed              // Child, made by Pid, has begun and ended while nobody looked
	Renamed                  // thread Former is now Tid
	Program                  // thread Tid stands in another program
	Signal                   // thread Tid stands for Signal, which it is owed
	Passes                   // thread Tid stands for what is of no interest to the owner
	Stop                     // thread Tid stands for Errand
	Call                     // thread Tid stands at a system call
	JobStopped               // process Pid has, by Signal
	JobContinued             // process Pid is
	Repair                   // thread Tid, which is to be let go, stands because it was interrupted
	SetRegisters             // the debug registers of thread Tid
	Replaced                 // thread Tid of process Pid is gone: another one executes a program
	ThreadGone               // thread Tid of process Pid has ended; the process with it, if it has that number
	StrangerGone             // Tid has ended, of which the tree knows nothing
)

// Order is one thing to do.
type Order struct {
	Do       Do       `json:"order"`
	Word     Word     `json:"word,omitempty"`
	Tid      int      `json:"tid,omitempty"`
	Pid      int      `json:"pid,omitempty"`
	Pace     Pace     `json:"pace,omitempty"`
	Signal   int      `json:"signal,omitempty"`
	Child    int      `json:"child,omitempty"`
	How      string   `json:"how,omitempty"`
	Shares   bool     `json:"shares,omitempty"`
	Former   int      `json:"former,omitempty"`
	Errand   Errand   `json:"errand,omitempty"`
	Decision Decision `json:"decision,omitempty"`
	Status   uint32   `json:"status,omitempty"`
	CPU      int64    `json:"cpu,omitempty"`
	At       int64    `json:"at,omitempty"`
}
