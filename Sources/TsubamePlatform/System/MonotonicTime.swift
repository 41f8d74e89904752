// MonotonicTime: nanoseconds on a clock that never goes back, and the one place that reads the platform's clock.

/// A point in time in nanoseconds, on the clock that the engine's timers use.
package typealias MonotonicTime = UInt64

package enum MonotonicClock {
    /// Later than every deadline; it stands for "no deadline".
    package static let never: MonotonicTime = .max

    @inline(__always)
    package static var now: MonotonicTime {
        var time = timespec()
        #if canImport(Darwin)
        // NIO's timers do not count the time in which the machine sleeps, so this clock does not either.
        clock_gettime(CLOCK_UPTIME_RAW, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
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
