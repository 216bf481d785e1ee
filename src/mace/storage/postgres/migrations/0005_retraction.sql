-- One more event is projected: what takes a Megram back. Versions without this step would pass over it in silence.
drop index events_of_experience;

-- The events that are projected, in their order; whoever asks must repeat the list word for word.
create index events_of_experience on events (position)
  where event_type = 'MEGRAM_WRITTEN' or event_type = 'EXPERIENCE_PROMOTED' or
        event_type = 'EXPERIENCE_DEMOTED' or event_type = 'EXPERIENCE_FORGOTTEN' or
        event_type = 'EXPERIENCE_ROLLED_BACK' or event_type = 'EXPERIENCE_IMPORTED' or
        event_type = 'MEGRAM_RETRACTED';
