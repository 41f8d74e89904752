// CivilTimeTests: conversion between days, months and years and seconds.

import Testing
import TsubameWire

@Suite struct CivilTimeTests {
    @Test func knownMomentsHaveTheirDates() {
        #expect(CivilTime(secondsSince1970: 0).iso8601 == "1970-01-01T00:00:00Z")
        #expect(CivilTime(secondsSince1970: -1).iso8601 == "1969-12-31T23:59:59Z")
        #expect(CivilTime(secondsSince1970: 951_782_400).iso8601 == "2000-02-29T00:00:00Z")
        #expect(CivilTime(secondsSince1970: 784_111_777).iso8601 == "1994-11-06T08:49:37Z")
        #expect(CivilTime(secondsSince1970: -62_167_219_200).iso8601 == "0000-01-01T00:00:00Z")
        #expect(CivilTime(secondsSince1970: 253_402_300_799).iso8601 == "9999-12-31T23:59:59Z")
    }

    @Test func yearsOfMoreThanFourDigitsHaveNoText() {
        #expect(CivilTime(secondsSince1970: 253_402_300_800).iso8601 == nil)
        #expect(CivilTime(secondsSince1970: -62_167_219_201).iso8601 == nil)
        #expect(CivilTime(secondsSince1970: .max).year == 292_277_026_596)
        #expect(CivilTime(secondsSince1970: .min).year == -292_277_022_657)
    }

    @Test func everyDayFrom1890To2110FollowsTheOneBefore() throws {
        var seconds: Int64 = -2_524_521_600
        for year in 1890...2110 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for day in 1...length {
                    let time = try #require(
                        CivilTime(year: year, month: month + 1, day: day, hour: 0, minute: 0, second: 0))
                    if time.secondsSince1970 != seconds || time.day != Int64(day) || time.year != Int64(year) {
                        Issue.record("\(year)-\(month + 1)-\(day)")
                    }
                    seconds += 86_400
                }
                #expect(
                    CivilTime(year: year, month: month + 1, day: length + 1, hour: 0, minute: 0, second: 0) == nil)
            }
        }
    }

    @Test func datesThatDoNotExistAreNone() {
        #expect(CivilTime(year: 2023, month: 2, day: 29, hour: 0, minute: 0, second: 0) == nil)
        #expect(CivilTime(year: 1900, month: 2, day: 29, hour: 0, minute: 0, second: 0) == nil)
        #expect(CivilTime(year: 2000, month: 0, day: 1, hour: 0, minute: 0, second: 0) == nil)
        #expect(CivilTime(year: 2000, month: 13, day: 1, hour: 0, minute: 0, second: 0) == nil)
        #expect(CivilTime(year: 2000, month: 1, day: 0, hour: 0, minute: 0, second: 0) == nil)
        #expect(CivilTime(year: 2000, month: 1, day: 1, hour: 24, minute: 0, second: 0) == nil)
        #expect(CivilTime(year: 2000, month: 1, day: 1, hour: 0, minute: 60, second: 0) == nil)
        #expect(CivilTime(year: 2000, month: 1, day: 1, hour: 0, minute: 0, second: 61) == nil)
        #expect(CivilTime(year: 10_000, month: 1, day: 1, hour: 0, minute: 0, second: 0) == nil)
        #expect(CivilTime(year: .max, month: .max, day: .max, hour: .max, minute: .max, second: .max) == nil)
        #expect(CivilTime(year: .min, month: .min, day: .min, hour: .min, minute: .min, second: .min) == nil)
    }

    @Test func aLeapSecondIsTheNextMinutesFirst() {
        #expect(
            CivilTime(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60)?.iso8601
                == "2017-01-01T00:00:00Z")
        #expect(CivilTime(year: 2016, month: 2, day: 30, hour: 23, minute: 59, second: 60) == nil)
    }
}
