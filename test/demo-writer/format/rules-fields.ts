import { ROUND_END_REASON, TEAM_NUMBER } from '#demo-format/game.ts';
import { type ScriptedRules, TICK_RATE } from '../script/scripted-match.ts';
import { GAME_MODE_TYPE } from './classes.ts';
import type { Fields } from './entity-list.ts';

/** The server's clock at demo tick 0: a recording starts some time after the server. */
export const SERVER_START_TICK = 1800;

const DEATHMATCH: Fields = {
  'm_pGameRules.m_pGameModeRules': GAME_MODE_TYPE.deathmatch,
  'm_pGameRules.m_pGameModeRules.m_flDMBonusTimeLength': 30,
  'm_pGameRules.m_pGameModeRules.m_sDMBonusWeapon': 'weapon_awp',
};

const PHASE = { 'first half': 2, 'second half': 3, ended: 5 } as const;
/** The side of nobody. */
const DRAWN = 1;

/** Returns the fields of CCSGameRulesProxy. */
export function rulesFields(rules: ScriptedRules, isDeathmatch: boolean): Fields {
  const winner = rules.outcome === null ? 0 : rules.outcome.winner === null ? DRAWN : TEAM_NUMBER[rules.outcome.winner];
  const reason = rules.outcome === null ? 0 : ROUND_END_REASON[rules.outcome.reason];
  return {
    'm_pGameRules.m_bFreezePeriod': rules.freeze,
    'm_pGameRules.m_bWarmupPeriod': rules.warmup,
    'm_pGameRules.m_bGamePaused': rules.paused,
    'm_pGameRules.m_iRoundTime': 115,
    'm_pGameRules.m_fRoundStartTime': Math.fround((SERVER_START_TICK + rules.liveTick) / TICK_RATE),
    'm_pGameRules.m_gamePhase': PHASE[rules.phase],
    'm_pGameRules.m_totalRoundsPlayed': rules.roundsPlayed,
    'm_pGameRules.m_nOvertimePlaying': rules.overtime,
    'm_pGameRules.m_bHasMatchStarted': !rules.warmup,
    'm_pGameRules.m_bBombPlanted': rules.bombPlanted,
    'm_pGameRules.m_iRoundWinStatus': winner,
    'm_pGameRules.m_eRoundWinReason': reason,
    'm_pGameRules.m_nMatchEndCount': 0,
    'm_pGameRules.m_iRoundEndWinnerTeam': winner,
    'm_pGameRules.m_eRoundEndReason': reason,
    'm_pGameRules.m_nRoundEndCount': rules.roundEnds & 0xff,
    'm_pGameRules.m_iRoundStartRoundNumber': rules.roundsPlayed + 1,
    'm_pGameRules.m_nRoundStartCount': rules.roundStarts & 0xff,
    ...(isDeathmatch ? DEATHMATCH : {}),
  };
}
