// MonotonicTime: nanoseconds on clocks that never go back, and the one place that reads the platform's clocks.

/// A point in time in nanoseconds, on one of the clocks of ``MonotonicClock``. Times of different clocks are not compared.
package typealias MonotonicTime = UInt64

package enum MonotonicClock {
    /// Later than every deadline; it stands for "no deadline".
    package static let never: MonotonicTime = .max

    /// The time for deadlines. It does not count the time in which the machine sleeps, as the system's timers do not.
    @inline(__always)
    package static var now: MonotonicTime {
        #if canImport(Darwin)
        read(CLOCK_UPTIME_RAW)
        #elseif os(WASI)
        sinceStart
        #else
        read(CLOCK_MONOTONIC)
        #endif
    }

    /// The time for what grows old while the machine sleeps, too: tokens, addresses and idle connections.
    package static var nowWithSleep: MonotonicTime {
        #if canImport(Darwin)
        read(CLOCK_MONOTONIC_RAW)
        #elseif os(Linux) || os(Android)
        read(CLOCK_BOOTTIME)
        #elseif os(WASI)
        sinceStart
        #else
        read(CLOCK_MONOTONIC)
        #endif
    }

    #if os(WASI)
    private static let start = ContinuousClock.now
    /// Never zero. Swift cannot name the clocks of WASI's C library.
    private static var sinceStart: MonotonicTime { start.duration(to: .now).nanosecondsClamped &+ 1 }
    #else
    @inline(__always)
    private static func read(_ clock: clockid_t) -> MonotonicTime {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }
    #endif
}

extension Duration {
    /// The whole nanoseconds: zero if the duration is negative, `never` if it does not fit.
    package var nanosecondsClamped: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return MonotonicClock.never }
        let (sum, carried) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return carried ? MonotonicClock.never : sum
    }

    package static func nanoseconds(clamping value: UInt64) -> Duration {
        .nanoseconds(Int64(clamping: value))
    }
}
