// MonotonicTime: nanoseconds on clocks that never go back, and the one place that reads the platform's clocks.

/// A point in time in nanoseconds, on one of the clocks of ``MonotonicClock``. Times of different clocks are not compared.
package typealias MonotonicTime = UInt64

package enum MonotonicClock {
    /// Later than every deadline; it stands for "no deadline".
    package static let never: MonotonicTime = .max

    /// The time for deadlines. It does not count the time in which the machine sleeps, as the system's timers do not.
    @inline(__always)
    package static var now: MonotonicTime {
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_UPTIME_RAW, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return nanoseconds(time)
    }

    /// The time for what grows old while the machine sleeps, too: tokens, addresses and idle connections.
    package static var nowWithSleep: MonotonicTime {
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        #elseif os(Linux) || os(Android)
        clock_gettime(CLOCK_BOOTTIME, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return nanoseconds(time)
    }

    @inline(__always)
    private static func nanoseconds(_ time: timespec) -> MonotonicTime {
        UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }
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
