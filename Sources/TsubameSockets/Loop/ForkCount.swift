// ForkCount: notices that the process was forked.

import Synchronization
import TsubamePlatform

/// Only the thread that forks goes on in the new process. A loop that was made before has no thread there.
enum ForkCount {
    private static let count = Atomic(0)
    private static let isRegistered: Bool = pthread_atfork(nil, nil, { ForkCount.increment() }) == 0

    private static func increment() { count.wrappingAdd(1, ordering: .relaxed) }

    /// The number of forks between the program's start and this process.
    static var now: Int {
        _ = isRegistered
        return count.load(ordering: .relaxed)
    }
}
