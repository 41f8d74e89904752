// EventLoop: one thread that serves many sockets, runs tasks, and keeps deadlines.

package import TsubamePlatform

/// A loop waits for its sockets, calls their members, and runs the jobs of tasks that prefer it as their executor. Loops
/// belong to the process: they are made when first needed, and stay.
///
/// ```swift
/// let loop = try EventLoop()
/// loop.execute { … }
/// await withTaskExecutorPreference(loop) { … }
/// ```
/// Each turn has bounds, so that nothing waits for long. It runs at most ``workPerTurn`` closures and ``jobsPerTurn`` jobs, and
/// calls at most ``callsPerTurn`` of the members that asked for it. Then it looks at the sockets and the deadlines. Jobs also run after each socket's
/// report, while its connection and memory are still in the processor's caches.
// Confined to the loop's thread, except for the constants, the inbox with its own guards, and the functions under "On any
// thread".
package final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// The jobs of one turn. A job takes a few microseconds, if it is no user code that holds the loop.
    package static let jobsPerTurn = 1_024
    /// The closures of one turn.
    package static let workPerTurn = 1_024
    /// The members of one turn that are called again, and the deadlines that pass in one turn.
    package static let callsPerTurn = 256
    /// The bytes that a member should read in one turn, before it asks to be called again.
    package static let bytesPerTurn = 256 << 10

    private struct Turn {
        var number: UInt64 = 0
        /// When the last whole look at the sockets began. Every socket that was ready then has been reported.
        var seenUpTo: MonotonicTime = 0
        /// When the look that is under way began. It takes several turns if very many sockets are ready.
        var lookedAt: MonotonicTime = 0
        /// The members at that time.
        var members = 0
        /// The reports since then; 0 after a whole look.
        var reports = 0
    }

    let poller: any Poller
    let inbox = Inbox()
    /// nil for a loop with a thread of its own.
    let callerRun: CallerRun?
    private let forks = ForkCount.now
    /// The members and their deadlines.
    @exclusivity(unchecked) private var members = MemberTable()
    @exclusivity(unchecked) private var jobs = LoopJobs()
    @exclusivity(unchecked) private var work = LoopWork()
    /// The members that are called in the next turn.
    @exclusivity(unchecked) private var again: [MemberID] = []
    @exclusivity(unchecked) private var looks = LookWork()
    @exclusivity(unchecked) private var current = Turn()
    @exclusivity(unchecked) private var input = MemoryChunk()
    /// The chunk in which a member encodes the bytes that it writes next.
    package let output = MemoryChunk()
    @exclusivity(unchecked) private var isStopped = false

    /// Makes a loop and starts its thread.
    /// - Throws: ``SocketError`` if the process has no descriptor or no thread left.
    package init(_ kind: PollerKind = .standard) throws(SocketError) {
        poller = try kind.makePoller()
        callerRun = nil
        guard LoopThread.key != nil else { throw SocketError(.start, EAGAIN) }
        let code = LoopThread.start(self)
        guard code == 0 else { throw SocketError(.start, code) }
    }

    /// Makes a loop without a thread. Threads that wait run it (``runHere(for:_:until:every:_:)``).
    /// - Parameter host: a loop with a thread of its own, which serves this one in between.
    /// - Throws: ``SocketError`` if the process has no descriptor left.
    package init(_ kind: PollerKind = .standard, hostedBy host: EventLoop) throws(SocketError) {
        poller = try kind.makePoller()
        let hosted = HostedLoop(on: host)
        callerRun = CallerRun(hosted)
        guard LoopThread.key != nil, inbox.fallAsleep() else { throw SocketError(.start, EAGAIN) }
        hosted.loop = self
    }

    private init(jobsOnly poller: SocketlessPoller) {
        self.poller = poller
        callerRun = CallerRun(HostedLoop(on: nil))
        _ = inbox.fallAsleep()
    }

    /// A loop without a thread that takes no descriptor and has no sockets. It only runs jobs, and nothing serves it in between.
    package static func ofJobs() -> EventLoop { EventLoop(jobsOnly: SocketlessPoller()) }

    /// The host then forgets the loop.
    deinit { callerRun?.hosted.turnSoon() }

    // MARK: On any thread

    /// Whether the caller runs on this loop's thread.
    @inline(__always)
    package var isCurrent: Bool { LoopThread.current == Unmanaged.passUnretained(self).toOpaque() }

    /// Whether the caller runs on a loop with a thread of its own, which others share.
    package static var isOnShared: Bool { LoopThread.current != nil && currentOfCaller == nil }

    /// The loop without a thread of its own that the current thread runs while it waits.
    @inline(__always)
    package static var currentOfCaller: EventLoop? {
        guard let current = LoopThread.current else { return nil }
        let loop = Unmanaged<EventLoop>.fromOpaque(current).takeUnretainedValue()
        guard let callerRun = loop.callerRun, !callerRun.isOnHost else { return nil }
        return loop
    }

    /// - Throws: ``SocketError`` if the process was forked after the loop was made: its thread is not in this process.
    package func checkFork() throws(SocketError) {
        if forks != ForkCount.now { throw SocketError(.use, ECHILD) }
    }

    /// Runs the closure on the loop's thread, in its next turn, or in a later one if very many wait. Closures of one thread run in
    /// their order.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        let work = Work(run: work)
        if isCurrent { return self.work.waiting.append(work) }
        if inbox.put(work) { wake() }
    }

    package func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), for: asUnownedTaskExecutor()) }

    /// Runs a job of a task that prefers another executor, which stands for several loops.
    package func enqueue(_ job: UnownedJob, for executor: UnownedTaskExecutor) {
        let job = Job(job: job, executor: executor)
        if isCurrent { return jobs.waiting.append(job) }
        if inbox.put(job) { wake() }
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// Ends the loop's thread after its current turn, for tests. Tasks that prefer the loop must have ended.
    package func stop() { execute { self.isStopped = true } }

    // MARK: Memory, on the loop

    /// The chunk for the next read. Nothing else refers to it.
    @inline(__always)
    package func takeInput() -> MemoryChunk {
        if !isKnownUniquelyReferenced(&input) { input = MemoryChunk() }
        return input
    }

    // MARK: Members, on the loop

    /// The number of members.
    package var memberCount: Int { members.count }

    /// Adds a member, without a socket and without a deadline.
    package func add(_ member: any LoopMember) -> MemberID { members.add(member) }

    /// Removes a member. It is not called again. Its socket must be unwatched before.
    package func remove(_ member: MemberID) { members.remove(member) }

    /// Reports the states of a member's socket to the member. The first report comes when the socket is readable, writable
    /// or connected.
    package func watch(_ descriptor: Int32, for member: MemberID) throws(SocketError) {
        try poller.add(descriptor, member)
    }

    /// Reports nothing more of a socket, which is still open.
    package func unwatch(_ descriptor: Int32) { poller.remove(descriptor) }

    /// Asks for the next report of these states, after an operation that would block.
    @inline(__always)
    package func arm(_ descriptor: Int32, _ states: Readiness) { poller.arm(descriptor, states) }

    /// Calls the member again in the next turn (``LoopMember/calledAgain()``).
    package func callAgain(_ member: MemberID) { again.append(member) }

    /// Runs the closure when the loop has looked at all its sockets once more, and their members have been called.
    package func afterLook(_ work: @escaping () -> Void) { looks.waiting.append(work) }

    /// Sets the member's deadline; ``MonotonicClock/never`` clears it. A later deadline than the one before costs one store.
    @inline(__always)
    package func setDeadline(of member: MemberID, to due: MonotonicTime) { members.deadlines.set(member.slot, to: due) }

    /// The earliest deadline of a member; ``MonotonicClock/never`` if there is none.
    var nextDeadline: MonotonicTime { members.deadlines.next }

    // MARK: The turns

    /// The number of the turn. A member that is called twice in one turn sees the same number.
    package var turnNumber: UInt64 { current.number }

    func run() {
        LoopThread.enter(self)
        while !isStopped { turn(longest: -1) }
    }

    /// - Parameters:
    ///   - longest: how long the turn waits at most, in milliseconds; -1 for no limit.
    ///   - isDone: whether nothing more is waited for.
    func turn(longest: Int32, _ isDone: () -> Bool = { false }) {
        current.number &+= 1
        jobs.left = Self.jobsPerTurn
        takeInbox()
        runWork()
        runJobs()
        callAgain()
        if isDone() { return }
        if !looks.waiting.isEmpty, current.reports == 0 { looks.begin() }
        let isWhole = wait(longest)
        passDeadlines()
        if isWhole, !looks.running.isEmpty { looks.end().forEach { $0() } }
    }

    /// Has the next work wake the loop, or its host.
    /// - Returns: false if there is something to do.
    func rests() -> Bool { jobs.isEmpty && work.isEmpty && again.isEmpty && looks.isEmpty && inbox.fallAsleep() }

    /// The jobs that have not run.
    func takeJobs() -> [UnownedJob] {
        takeInbox()
        return jobs.takeAll()
    }

    private func takeInbox() { inbox.take(&jobs.waiting, &work.waiting) }

    /// Runs the closures of this turn. Those that they give run in a later one.
    private func runWork() {
        guard !work.isEmpty else { return }
        work.begin()
        for work in work.running { work.run() }
        work.running.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    private func runJobs() {
        if !jobs.isEmpty, jobs.left > 0 { runSomeJobs() }
    }

    private func runSomeJobs() {
        if jobs.beginAll() {
            for job in jobs.running { job.job.runSynchronously(on: job.executor) }
            jobs.running.removeAll(keepingCapacity: true)
            return
        }
        for _ in 0..<jobs.beginSome() {
            guard let job = jobs.next() else { break }
            job.job.runSynchronously(on: job.executor)
        }
        jobs.compact()
    }

    private func callAgain() {
        guard !again.isEmpty else { return }
        let called = again.prefix(Self.callsPerTurn)
        again.removeFirst(called.count)
        for id in called {
            members[id]?.calledAgain()
            runJobs()
        }
    }

    /// Passes the deadlines that had come when the last whole look began. Bytes that came since may move the others,
    /// however long the jobs took meanwhile.
    private func passDeadlines() {
        guard nextDeadline != MonotonicClock.never else { return }
        // A member may set a deadline that has passed, too.
        for _ in 0..<Self.callsPerTurn {
            guard let slot = members.deadlines.takeDue(at: current.seenUpTo) else { return }
            members[slot: slot]?.deadlinePassed()
        }
    }

    /// - Returns: whether the loop has looked at all sockets since ``Turn/lookedAt``.
    private func wait(_ longest: Int32) -> Bool {
        var milliseconds: Int32 = 0
        var sleeps = false
        if longest != 0, current.reports == 0, rests() {
            sleeps = true
            milliseconds = timeout()
            if longest > 0 { milliseconds = milliseconds < 0 ? longest : min(milliseconds, longest) }
        }
        let sawAll = poller.wait(milliseconds: milliseconds) { id, states in
            if current.reports == 0 { (current.lookedAt, current.members) = (MonotonicClock.now, memberCount) }
            current.reports += 1
            if sleeps {
                inbox.wakeUp()
                sleeps = false
            }
            // A report for a member that is gone finds none.
            guard let member = members[id] else { return }
            member.ready(states)
            runJobs()
        }
        if current.reports == 0 { current.lookedAt = MonotonicClock.now }
        if sleeps { inbox.wakeUp() }
        // Those that were ready at the beginning come first. So the look ends, even if sockets become ready all the time.
        guard sawAll || current.reports > poller.reportsPerMember * current.members else { return false }
        current.reports = 0
        current.seenUpTo = current.lookedAt
        return true
    }

    /// The time until the next deadline, rounded up, so that the loop does not turn without a deadline to pass.
    private func timeout() -> Int32 {
        let next = nextDeadline
        guard next != MonotonicClock.never else { return -1 }
        let now = MonotonicClock.now
        return next <= now ? 0 : Int32(clamping: (next - now + 999_999) / 1_000_000)
    }
}
