// HTTPDate: the time as HTTP writes it.
#if Server
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

enum HTTPDate {
    /// The time now as an IMF-fixdate (RFC 9110 section 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func now() -> String {
        text(secondsSince1970: Int(Date().timeIntervalSince1970))
    }

    /// The text of a time from 1970 on.
    static func text(secondsSince1970 seconds: Int) -> String {
        let (days, second) = max(0, seconds).quotientAndRemainder(dividingBy: 86400)
        // Years are counted from March, so that a leap day ends the year. 719,468 days lie between 1 March 0 and 1970.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = era * 400 + yearOfEra + (month < 10 ? 0 : 1)

        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"]
        let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(weekdays[days % 7]), \(two(day)) \(months[month]) \(year) \(time) GMT"
    }

    private static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

#endif
